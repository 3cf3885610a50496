/** A known format that is not supported, and what to do instead. */
export interface UnsupportedFormat {
  readonly what: string;
  readonly instead: string;
}

/** The root element of XML, after declarations and comments. Each alternative matches in one way only, so that a failing search ends soon. */
const ROOT =
  /^\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[^])*-->\s*|<!DOCTYPE[^[>]*(?:\[(?:(?!\]\s*>)[^])*\])?\s*>\s*)*<([\w:]+)/;

/** Recognises formats that are not supported; returns undefined for anything that may be text. */
export function findUnsupported(text: string): UnsupportedFormat | undefined {
  if (text.slice(8, 12) === '.FIT')
    return {
      what: 'a FIT file, which is not supported',
      instead: 'export the activity as TCX, GPX or CSV instead (Garmin Connect: "Export to TCX")',
    };
  if (text.startsWith('PK'))
    return { what: 'a packed file (ZIP, or a spreadsheet)', instead: 'unpack it, or save the sheet as CSV' };
  if (text.startsWith('\u001F')) return { what: 'a packed file (gzip)', instead: 'unpack it with gunzip' };
  if (text.startsWith('SQLite format')) return { what: 'a database (SQLite)', instead: 'export the table as CSV' };
  if (text.slice(0, 4096).includes('\0'))
    return /^(?:\uFFFD{2}|\0)/.test(text) || text[1] === '\0'
      ? { what: 'text in UTF-16, or no text at all', instead: 'save it as UTF-8' }
      : { what: 'no text', instead: 'a second recording is given with --media' };
  const root = ROOT.exec(text.slice(0, 200_000))?.[1];
  if (root !== undefined && !/^(?:\w+:)?(?:TrainingCenterDatabase|gpx|HealthData)$/i.test(root))
    return { what: `XML of another kind (<${root}>)`, instead: 'export it as TCX, GPX, CSV or JSON' };
  return undefined;
}
