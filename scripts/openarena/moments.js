// How far apart what belongs together is seen, and how far figures go in a moment.

/** Seconds within which what changes together does so. */
export const AT_ONCE = 0.2;

/** Seconds within which figures that belong together change. */
export const TOGETHER = 0.35;

/** The most rounds that leave a weapon between two samples; and where they are far apart, of a weapon that is in hand before and after. */
export const BURST = 5;

/** Seconds within which a figure that becomes another and comes back was misread in between. */
export const BLINK = 0.25;
