import { useEffect, useState } from 'preact/hooks';

/** Shows a PNG that came in base64: as an object, as the content security policy allows no data addresses. */
export function Png({
  data,
  alt,
  ...rest
}: {
  readonly data: string;
  readonly alt: string;
  readonly class?: string;
  readonly width?: number;
  readonly height?: number;
}) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return address === undefined ? <span class="png-waiting" /> : <img src={address} alt={alt} {...rest} />;
}

/** How far something has come. */
export function Progress({ share, label }: { readonly share: number; readonly label: string }) {
  return (
    <div class="progress" role="status">
      <span>{label}</span>
      <progress max="1" value={share} aria-label={label} />
      <span class="numbers">{Math.round(100 * share)} %</span>
    </div>
  );
}
