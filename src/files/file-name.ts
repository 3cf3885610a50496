/** Names that Windows reserves for devices, with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const MAX_LENGTH = 100;

/**
 * Makes a text the name of a file or folder: what some file system refuses, or what leads to another folder, becomes an
 * underscore.
 *
 * @example
 * toFileName('../health: 100%'); // '.._health_ 100%'
 */
export function toFileName(text: string): string {
  const safe = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:"/\\|?*]/gu, '_')]
    .slice(0, MAX_LENGTH)
    .join('')
    .replace(/[. ]+$/, '_')
    .replace(DEVICE_NAME, '_$&');
  return safe === '' ? '_' : safe;
}
