/** State of recording in a process that observes. */
export interface RecordingState {
  /** `leading`: it observes. `standby`: another process observes, or it has not tried yet. `lost`: it had to stop. */
  readonly is: 'leading' | 'standby' | 'lost';
  readonly uptimeMs: number;
  /** For how many milliseconds it should have led but did not, or not well; 0 while all is well. */
  readonly troubleMs: number;
  readonly trouble?: string | undefined;
  /** For how many milliseconds no append has succeeded; 0 while appends succeed, or if none is tried. */
  readonly failingMs: number;
  /** Reason why the last append failed. */
  readonly failure?: string | undefined;
  /** For how many milliseconds the current append has waited for the database. */
  readonly waitingMs: number;
}

/** Token of a function that returns the {@link RecordingState} of this process; not provided if it does not observe. */
export const RECORDING_STATE = Symbol('RecordingState');
