/** How recording goes in a process that observes. */
export interface RecordingState {
  /** `leading`: it observes. `standby`: another process does, or none was asked yet. `lost`: it had to stop. */
  readonly is: 'leading' | 'standby' | 'lost';
  /** Age of the process, milliseconds. */
  readonly uptimeMs: number;
  /** For how many milliseconds it has not led, or not well, although it should; 0 while all is well. */
  readonly troubleMs: number;
  /** Why. */
  readonly trouble?: string | undefined;
  /** For how many milliseconds no append has got through; 0 while they do, or none is tried. */
  readonly failingMs: number;
  /** What the last append failed of. */
  readonly failure?: string | undefined;
  /** For how many milliseconds the append under way has waited for the database. */
  readonly waitingMs: number;
}

/** Token of a function that gives the {@link RecordingState} of this process; not provided where it does not observe. */
export const RECORDING_STATE = Symbol('RecordingState');
