// What can be chosen for a reel: names that pages offer.

/** Shapes of a reel. */
export const reelAspects = ['source', '16:9', '9:16', '1:1'] as const;

/** Names of the styles. */
export const reelStyleNames = ['plain', 'short', 'montage', 'cinematic'] as const;

/** Formats that scenes are exported to, with the ending of their files and the program that reads them. */
export const exportFormatList = [
  ['otio', 'otio', 'OpenTimelineIO'],
  ['fcpxml', 'fcpxml', 'Final Cut Pro'],
  ['xmeml', 'xml', 'Premiere Pro'],
  ['resolve-edl', 'edl', 'DaVinci Resolve markers'],
  ['edl', 'edl', 'EDL (CMX 3600)'],
  ['mlt', 'mlt', 'Kdenlive, Shotcut'],
  ['losslesscut', 'llc', 'LosslessCut'],
  ['reel-srt', 'srt', 'Captions (SRT)'],
  ['reel-vtt', 'vtt', 'Captions (WebVTT)'],
  ['youtube', 'txt', 'YouTube chapters'],
  ['markdown', 'md', 'Summary'],
  ['json', 'json', 'List of highlights'],
] as const;

/** Names of the formats. */
export const exportFormatNames = exportFormatList.map(([name]) => name);
