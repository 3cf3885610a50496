// A thread that finds how the clocks of two recordings lie, by their sound.
import { alignSound } from '../../pipeline/align/align.ts';
import { serve } from '../../threads/serve.ts';

/** Real paths of two recordings. */
export interface AlignRequest {
  readonly path: string;
  readonly other: string;
}

serve((message, { signal }) => {
  const { path, other } = message as AlignRequest;
  return alignSound(path, other, { signal });
});
