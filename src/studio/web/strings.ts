// Every text of the pages, in one place.

const count = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** The texts of the pages. Functions take what they name. */
export const text = {
  product: 'playbyplay',
  studio: 'Studio',
  skip: 'Skip to the content',
  pages: {
    recordings: 'Recordings',
    review: 'Review',
    cut: 'Cut',
    compare: 'Compare',
  },
  navigation: 'Pages',
  theme: { system: 'Colors: as the system', light: 'Colors: light', dark: 'Colors: dark' },
  keys: { open: 'Keys', title: 'Keys', close: 'Close', hint: 'The keys of this page. Press ? to show them.' },
  loading: 'Loading…',
  retry: 'Try again',
  failed: 'This did not work',
  notFound: 'There is no such page.',
  close: 'Close',
  undo: (what?: string) => (what === undefined ? 'Undo' : `Undo: ${what}`),
  redo: (what?: string) => (what === undefined ? 'Redo' : `Redo: ${what}`),
  locked: {
    title: 'This studio is locked',
    explain:
      'Open the address that “playbyplay studio” printed in its terminal: it signs this browser in. Each address works once.',
    password: 'Password',
    signIn: 'Sign in',
    wrong: 'This is not the password.',
  },
  recordings: {
    title: 'Recordings',
    inFolders: (names: readonly string[]) => `In ${names.join(', ')}`,
    search: 'Search by name',
    none: 'There are no recordings in this folder.',
    noneHint: 'Put recordings into it, or start the studio with another folder: playbyplay studio <folder>',
    noMatch: 'No recording has this name.',
    cutOff: 'The folder is very large: not everything is listed.',
    hasLog: 'Event log',
    noLog: 'No log yet',
    count: (n: number) => count(n, 'recording'),
    open: (name: string) => `Open ${name}`,
  },
  player: {
    controls: 'Player',
    play: 'Play',
    pause: 'Pause',
    playPause: 'Play or pause',
    nextFrame: 'Next frame',
    previousFrame: 'Previous frame',
    nextSample: 'Next sample of the log',
    previousSample: 'Previous sample of the log',
    forwards: 'Five seconds forwards',
    backwards: 'Five seconds back',
    toStart: 'To the start',
    toEnd: 'To the end',
    zoomIn: 'Show less of the time line',
    zoomOut: 'Show more of the time line',
    zoomAll: 'Show the whole time line',
    goTo: 'Go to a time (1:02.5) or frame (#1200)',
    frame: (n: number) => `frame ${n.toLocaleString('en')}`,
    frameAt: (t: string) => `Frame at ${t}`,
    noFrame: 'No frame is shown yet',
    zoom: (percent: number) => `${percent} %  ×`,
    volume: 'Volume',
    speed: 'Speed',
    indexing: 'Indexing the recording. Until then, the nearest keyframe is shown.',
  },
  timeline: {
    title: 'Time line',
    film: 'Pictures',
    sound: 'Sound',
    gaps: 'Not readable',
    zoomIn: 'Show less',
    zoomOut: 'Show more',
    zoomAll: 'Show all',
    overview: 'The whole recording: drag to move what the time line shows',
  },
  review: {
    panel: 'Events',
    question: 'Filter events by a question',
    questionExample: 'player kills opponent, health below 20 …',
    completions: 'Completions',
    reading: 'How this is understood',
    readAs: (written: string, read: string) => `“${written}” was read as “${read}”.`,
    events: 'Events',
    filter: 'Which events',
    filters: { all: 'All', open: 'To do', uncertain: 'Uncertain', corrected: 'Done' },
    shown: (total: number, all: number) =>
      total === all ? count(all, 'event') : `${total.toLocaleString('en')} of ${count(all, 'event')}`,
    noEvents: 'The log has no events.',
    noMatch: 'No event fits.',
    noMatchHint: 'Ask for something broader, or choose other events above.',
    noLog: 'This recording has no event log yet',
    noLogHint: 'Make one in a terminal, then load this page again:',
    status: { approved: 'approved', changed: 'changed', deleted: 'deleted', added: 'added' },
    uncertain: 'uncertain',
    confidence: (percent: number) => `Confidence ${percent} %`,
    changedFrom: (original: string) => `The log has: ${original}`,
    judge: 'The selected event',
    approve: 'Right',
    change: 'Change',
    delete: 'Wrong',
    add: 'Add',
    revert: 'Take back',
    reviewed: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')} reviewed`,
    keys: {
      next: 'Next event',
      previous: 'Previous event',
      approve: 'The event is right; go on',
      delete: 'The event did not happen; go on',
      change: 'Change the event',
      add: 'Add an event here',
      revert: 'Take back what was said of the event',
      question: 'Type a question',
      undo: 'Undo',
      redo: 'Do again',
    },
    done: {
      approved: 'Approved',
      deleted: 'Marked as wrong',
      reverted: 'Taken back',
      changed: 'Changed',
      added: 'Added',
    },
    changeTitle: 'What truly happened',
    addTitle: 'Add an event',
    sentence: 'Sentence',
    sentenceExample: 'player kills opponent with shotgun',
    asLogged: 'The log will say:',
    time: 'Time',
    takeTime: (t: string) => `Take ${t}`,
    cancel: 'Cancel',
    save: 'Save',
  },
  choose: {
    title: 'No recording is open',
    hint: 'Choose one first.',
    link: 'Show recordings',
  },
} as const;

/** Seconds as `0:12.345`, with hours if there are any. */
export function clock(seconds: number, decimals = 3): string {
  const sign = seconds < 0 ? '−' : '';
  const unit = 10 ** decimals;
  const total = Math.round(Math.abs(seconds) * unit);
  const hours = Math.floor(total / (3600 * unit));
  const minutes = Math.floor(total / (60 * unit)) % 60;
  const rest = ((total % (60 * unit)) / unit).toFixed(decimals).padStart(decimals > 0 ? decimals + 3 : 2, '0');
  return hours > 0 ? `${sign}${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${sign}${minutes}:${rest}`;
}

/** Bytes as `1.2 GB`. */
export function bytes(amount: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, amount)) / 3));
  return `${(amount / 1000 ** power).toFixed(power === 0 || amount / 1000 ** power >= 100 ? 0 : 1)} ${units[power]}`;
}
