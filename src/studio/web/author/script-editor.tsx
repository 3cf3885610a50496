import { useEffect, useRef } from 'preact/hooks';
import type { ScriptEditor as Editor } from './code-editor.ts';
import type { Authoring } from './authoring.ts';

/** The game's script in a code editor, which is loaded when it is shown. */
export function ScriptEditor({
  authoring,
  label,
  onChange,
}: {
  readonly authoring: Authoring;
  readonly label: string;
  readonly onChange: (source: string) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const { script, elements, issues, warnings } = authoring.pack.value!;
  useEffect(() => {
    let isClosed = false;
    void import('./code-editor.ts').then(({ openScriptEditor }) => {
      if (isClosed || !host.current) return;
      editor.current = openScriptEditor(host.current, {
        source: script,
        label,
        elements: () => authoring.pack.value!.elements.map(({ name }) => name),
        id: authoring.id,
        onChange,
      });
      editor.current.mark([...issues, ...warnings]);
    });
    return () => {
      isClosed = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    editor.current?.setSource(script);
    editor.current?.mark([...issues, ...warnings]);
  }, [script, elements, issues, warnings]);
  return <div ref={host} class="code-host" />;
}
