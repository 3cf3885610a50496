/** What a packet of a video stream says about its frame. Times in ticks of the stream. */
export interface PacketInfo {
  readonly pts: bigint;
  readonly duration: bigint;
  readonly key: boolean;
  /** Decoded but not shown, as an edit list has it. */
  readonly hidden: boolean;
}

/** A packet of a recording as the plan of a cut needs it. */
export interface PlannedPacket extends PacketInfo {
  /** A frame from which decoding can start afresh, with nothing behind it that refers to what came before. */
  readonly instant: boolean;
}

/** A part of a cut: frames to encode anew, or packets to copy. Ticks; `from` inclusive, `to` exclusive. */
export type Run =
  | { readonly kind: 'encode'; readonly from: bigint; readonly to: bigint }
  | {
      readonly kind: 'copy';
      readonly from: bigint;
      readonly to: bigint;
      /** Positions in the list of packets, in the order of decoding; `end` exclusive. */
      readonly first: number;
      readonly end: number;
    };

/**
 * Divides a cut into what can be copied and what has to be encoded. Whole groups of pictures are copied; of the last
 * one the longest beginning that is complete both in decoding and in showing order; only what lies before the first
 * instant refresh and behind that beginning is encoded.
 *
 * `packets` are in the order of decoding and begin at or before the cut with a keyframe.
 */
export function planRuns(packets: readonly PlannedPacket[], from: bigint, to: bigint): Run[] {
  const starts = packets.flatMap((packet, index) => (packet.instant ? [index] : []));
  const runs: Run[] = [];
  let at = from;
  for (const [group, first] of starts.entries()) {
    const start = packets[first]!.pts;
    const end = starts[group + 1] ?? packets.length;
    if (start < at || start >= to) continue;
    const copied = longestBeginning(packets, first, end, to);
    if (copied === undefined) continue;
    if (start > at) runs.push({ kind: 'encode', from: at, to: start });
    const last = runs.at(-1);
    if (last?.kind === 'copy' && last.end === first) {
      runs[runs.length - 1] = { ...last, end: copied.end, to: copied.to };
    } else runs.push({ kind: 'copy', from: start, to: copied.to, first, end: copied.end });
    at = copied.to;
    if (copied.end < end) break;
  }
  if (at < to) runs.push({ kind: 'encode', from: at, to });
  return runs;
}

/**
 * The longest beginning of a group whose frames all lie before `to` and before every frame left out; `to` of the
 * result is where the frames left out begin.
 */
function longestBeginning(
  packets: readonly PlannedPacket[],
  first: number,
  end: number,
  to: bigint,
): { end: number; to: bigint } | undefined {
  const least: bigint[] = [];
  let behind = packets[end]?.pts ?? to;
  if (behind > to) behind = to;
  for (let i = end - 1; i >= first; i--) {
    least[i - first] = behind;
    if (packets[i]!.pts < behind) behind = packets[i]!.pts;
  }
  let greatest = packets[first]!.pts;
  let best: { end: number; to: bigint } | undefined;
  for (let i = first; i < end; i++) {
    const { pts } = packets[i]!;
    if (pts >= to) break;
    if (pts > greatest) greatest = pts;
    if (greatest < least[i - first]!) best = { end: i + 1, to: least[i - first]! };
  }
  return best;
}
