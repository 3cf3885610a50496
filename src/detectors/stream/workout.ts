/** A record's columns or fields. */
export type Fields = Record<string, string | number>;

/** Records of a workout: track points of TCX and GPX, measurements of Apple Health. */
export function readWorkout(text: string): { readonly records: Fields[]; readonly skipped: number } {
  const points = trackPoints(text);
  if (points.length > 0) return { records: points.map(leaves), skipped: 0 };
  const records = [...text.matchAll(/<Record\b([^<>]*)>/g)].flatMap(([, attributes]) => healthOf(attributes!));
  return { records, skipped: 0 };
}

/** What stands in each track point. Whole files are searched once only, however they are broken. */
function trackPoints(text: string): string[] {
  const parts = text.split(/<\/(?:\w+:)?(?:Trackpoint|trkpt)\s*>/);
  return parts.slice(0, -1).flatMap((part) => {
    const begin = [...part.matchAll(/<(?:\w+:)?(?:Trackpoint|trkpt)\b[^<>]*>/g)].at(-1);
    return begin ? [part.slice(begin.index + begin[0].length)] : [];
  });
}

/** What a track point measures, by the elements' own names; the heart rate as `hr`, however it is called. */
function leaves(inner: string): Fields {
  const flat = inner.replaceAll(
    /<(?:\w+:)?HeartRateBpm\b[^<>]*>\s*<(?:\w+:)?Value>([^<]*)<\/(?:\w+:)?Value>\s*<\/(?:\w+:)?HeartRateBpm>/g,
    '<hr>$1</hr>',
  );
  return Object.fromEntries(
    [...flat.matchAll(/<(?:\w+:)?(\w+)\b[^<>]*>([^<]+)<\//g)].map(([, name, value]) => [
      name!.toLowerCase(),
      value!.trim(),
    ]),
  );
}

/** One measurement: `HKQuantityTypeIdentifierHeartRate` is called hr, others by their own name (`RespiratoryRate`). */
function healthOf(attributes: string): Fields[] {
  const given = Object.fromEntries(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  const { type = '', startDate, endDate, value } = given;
  if (startDate === undefined || value === undefined) return [];
  const name = type.replace(/^HK\w*?TypeIdentifier/, '');
  return [
    { time: startDate, ...(endDate !== undefined && { end: endDate }), [name === 'HeartRate' ? 'hr' : name]: value },
  ];
}
