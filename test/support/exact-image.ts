/** A full version, with a base system if the publisher has several, and a digest where `.ci/pin-images` has been run. */
export const EXACT_IMAGE =
  /^[a-z/]+:(?:\d+\.\d+(?:\.\d+)?-[a-z]+(?:[\d.]+|-slim)?|v?\d+\.\d+\.\d+)(?:@sha256:[0-9a-f]{64})?$/;
