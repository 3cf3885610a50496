/** Limits of networks. They are no options of profiles, because these come from strangers. */
export interface NetworkLimits {
  /** Bytes of constants, inputs and results in a run. */
  readonly memory: number;
  /** Seconds of a run, and of opening a network. */
  readonly seconds: number;
}

/** Environment variable with the memory limit in MB. */
export const MEMORY_VARIABLE = 'PLAYBYPLAY_NETWORK_MEMORY';
/** Environment variable with the time limit in seconds. */
export const SECONDS_VARIABLE = 'PLAYBYPLAY_NETWORK_SECONDS';

const DEFAULT_MEGABYTES = 1024;
const DEFAULT_SECONDS = 60;

/** Returns the limits of networks: the defaults, or what the environment variables say. */
export function networkLimits(environment: NodeJS.ProcessEnv = process.env): NetworkLimits {
  return {
    memory: 2 ** 20 * (positive(environment[MEMORY_VARIABLE]) ?? DEFAULT_MEGABYTES),
    seconds: positive(environment[SECONDS_VARIABLE]) ?? DEFAULT_SECONDS,
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return value > 0 ? value : undefined;
}
