import { useEffect, useRef } from 'preact/hooks';
import { boundKeys } from '../keys.ts';
import { text } from '../strings.ts';

const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Control: 'Ctrl',
  Escape: 'Esc',
};

/** The keys of the page, in a dialog. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys-dialog" aria-labelledby="keys-title" onClose={onClose}>
      <header>
        <h2 id="keys-title">{text.keys.title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {text.keys.close}
        </button>
      </header>
      <dl>
        {boundKeys().map(({ key, does }) => (
          <div key={key}>
            <dt>
              {(key === '+' ? [key] : key.split('+')).map((part) => (
                <kbd key={part}>{SYMBOLS[part] ?? part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
