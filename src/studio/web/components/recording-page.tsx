import { useEffect, useMemo } from 'preact/hooks';
import { Player } from '../player/player.ts';
import { linkTo } from '../router.ts';
import { text } from '../strings.ts';
import { EmptyState } from './basic.tsx';

/** What a page shows that needs a recording and has none. */
export function ChooseRecording() {
  return (
    <EmptyState title={text.choose.title} isPage>
      <p class="hint">{text.choose.hint}</p>
      <a class="button" href={linkTo('recordings')}>
        {text.choose.link}
      </a>
    </EmptyState>
  );
}

/** Creates the player of a recording, and closes it with the component. */
export function usePlayer(path: string): Player {
  const player = useMemo(() => new Player(path), [path]);
  useEffect(() => () => player.close(), [player]);
  return player;
}
