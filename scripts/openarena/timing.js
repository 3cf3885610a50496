// Time limits for related changes.

/** Maximum seconds between simultaneous changes. */
export const SIMULTANEOUS_SECONDS = 0.2;

/** Maximum seconds between changes of related numbers. */
export const RELATED_SECONDS = 0.35;

/** Maximum rounds that a weapon fires between two samples. */
export const MAX_ROUNDS_PER_SAMPLE = 5;

/** A number that changes and changes back within this time was misread. */
export const MISREAD_SECONDS = 0.25;
