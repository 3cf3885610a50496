/** The user without rights on Linux. */
const NOBODY = 65_534;

/**
 * Runs an action without the rights of root: SVT-AV1 gives its caller and its threads the highest real-time priority where it may, and the
 * rest of the machine would stand still.
 */
export function withoutRoot<T>(action: () => T): T {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return action();
  process.seteuid!(NOBODY);
  try {
    return action();
  } finally {
    process.seteuid!(0);
  }
}
