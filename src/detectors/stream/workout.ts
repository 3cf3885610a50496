/** Columns or fields of a record. */
export type Fields = Record<string, string | number>;

/** Reads a workout: the track points of TCX and GPX, or the measurements of Apple Health. */
export function readWorkout(text: string): { readonly records: Fields[]; readonly skipped: number } {
  const points = splitTrackPoints(text);
  if (points.length > 0) return { records: points.map(parseTrackPoint), skipped: 0 };
  const records = [...text.matchAll(/<Record\b([^<>]*)>/g)].flatMap(([, attributes]) => parseHealthRecord(attributes!));
  return { records, skipped: 0 };
}

/** Returns the content of each track point in linear time, whatever the file contains. */
function splitTrackPoints(text: string): string[] {
  const parts = text.split(/<\/(?:\w+:)?(?:Trackpoint|trkpt)\s*>/);
  return parts.slice(0, -1).flatMap((part) => {
    const begin = [...part.matchAll(/<(?:\w+:)?(?:Trackpoint|trkpt)\b[^<>]*>/g)].at(-1);
    return begin ? [part.slice(begin.index + begin[0].length)] : [];
  });
}

/** Reads the elements of a track point by their names, the heart rate as `hr`. */
function parseTrackPoint(inner: string): Fields {
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

/** Reads a measurement: `HKQuantityTypeIdentifierHeartRate` as `hr`, others by their name (`RespiratoryRate`). */
function parseHealthRecord(attributes: string): Fields[] {
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
