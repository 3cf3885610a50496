import type { showHistory } from '../../api/workspace.ts';
import type { RouteResponse } from '../../api/route.ts';
import { text } from '../strings.ts';

interface HistoryButtonsProps {
  readonly history: RouteResponse<typeof showHistory>;
  readonly onStep: (step: 'undo' | 'redo') => void;
}

/** Buttons that undo and redo, which name what they would change. */
export function HistoryButtons({ history, onStep }: HistoryButtonsProps) {
  return (
    <>
      {(['undo', 'redo'] as const).map((step) => (
        <button
          key={step}
          type="button"
          class="icon-button"
          disabled={step === 'undo' ? !history.canUndo : !history.canRedo}
          title={text[step](history[step])}
          onClick={() => onStep(step)}
        >
          <span aria-hidden="true">{step === 'undo' ? '↶' : '↷'}</span>
          <span class="visually-hidden">{text[step](history[step])}</span>
        </button>
      ))}
    </>
  );
}
