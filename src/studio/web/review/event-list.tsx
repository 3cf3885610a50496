import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from '../components/use-size.ts';
import { EmptyState, Loading } from '../components/basic.tsx';
import { clock, text } from '../strings.ts';
import type { EventRow, Review } from './review.ts';

const ROW_HEIGHT = 46;
/** Rows that are rendered beyond what is seen. */
const MARGIN_ROWS = 8;

/** The events of the list. Only those that are seen are in the page. */
export function EventList({ review }: { readonly review: Review }) {
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const scroll = useSignal(0);
  const t = text.review;
  const list = review.list.value;
  const { value: position } = review.position;
  const total = list?.total ?? 0;

  useEffect(() => {
    const element = box.current;
    if (!element || position < 0) return;
    const top = position * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top - ROW_HEIGHT;
    else if (top + ROW_HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = top + 2 * ROW_HEIGHT - element.clientHeight;
  }, [position]);

  const first = Math.max(0, Math.floor(scroll.value / ROW_HEIGHT) - MARGIN_ROWS);
  const last = Math.min(total, Math.ceil((scroll.value + height) / ROW_HEIGHT) + MARGIN_ROWS);
  const select = (place: number): void => {
    void review.select(place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: position + 1,
      ArrowUp: position - 1,
      PageDown: position + page,
      PageUp: position - page,
      Home: 0,
      End: total - 1,
    };
    const place = moves[event.key];
    if (place === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    select(place);
  };
  if (total === 0)
    return (
      <div ref={box} class="event-list">
        {!list ? (
          <Loading />
        ) : (
          <EmptyState title={list.all === 0 ? t.noEvents : t.noMatch}>
            {list.all > 0 && <p class="hint">{t.noMatchHint}</p>}
          </EmptyState>
        )}
      </div>
    );
  return (
    <div
      ref={box}
      class="event-list"
      role="listbox"
      tabIndex={0}
      aria-label={t.events}
      aria-activedescendant={position >= 0 ? `event-${position}` : undefined}
      onScroll={(event) => {
        scroll.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={onKeyDown}
    >
      <div class="event-list-space" role="presentation" style={{ height: `${total * ROW_HEIGHT}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((place) => (
          <Row
            key={place}
            row={review.rowAt(place)}
            place={place}
            total={total}
            isSelected={place === position}
            onSelect={select}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: EventRow | undefined;
  readonly place: number;
  readonly total: number;
  readonly isSelected: boolean;
  readonly onSelect: (place: number) => void;
}

function Row({ row, place, total, isSelected, onSelect }: RowProps) {
  const t = text.review;
  return (
    <div
      id={`event-${place}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={total}
      aria-posinset={place + 1}
      class={`event-row${row?.status === 'deleted' ? ' is-deleted' : ''}`}
      style={{ top: `${place * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px` }}
      onClick={() => onSelect(place)}
    >
      {row ? (
        <>
          <time>{clock(row.t, 1)}</time>
          <span class="event-text" title={row.original === undefined ? row.text : t.changedFrom(row.original)}>
            {row.text}
          </span>
          {row.status !== undefined && <span class={`tag ${STATUS_CLASSES[row.status]}`}>{t.status[row.status]}</span>}
          {row.tentative === true && <span class="tag tag-warn">{t.uncertain}</span>}
          {row.status === undefined && (
            <span class="confidence" title={t.confidence(Math.round(row.confidence * 100))}>
              {Math.round(row.confidence * 100)} %
            </span>
          )}
        </>
      ) : (
        <span class="hint">…</span>
      )}
    </div>
  );
}

const STATUS_CLASSES = { approved: 'tag-good', changed: 'tag-warn', deleted: 'tag-bad', added: 'tag-good' } as const;
