import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** The size of an element in CSS pixels, followed as it changes. */
export function useSize(element: RefObject<Element | null>): { readonly width: number; readonly height: number } {
  const size = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width !== size.value.width || height !== size.value.height) size.value = { width, height };
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return size.value;
}
