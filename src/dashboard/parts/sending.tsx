import { useState } from 'preact/hooks';

/** State of something that a person sends; an `Error` says why it failed. */
type Sending = 'sending' | 'sent' | Error | undefined;

/** Makes a request in place of what the browser would do on the event. */
type Send = (request: () => Promise<unknown>, event: Event) => void;

/** The state of a request that a person makes, and a function that makes it. */
export function useSending(): readonly [Sending, Send] {
  const [state, setState] = useState<Sending>();
  const send: Send = (request, event) => {
    event.preventDefault();
    setState('sending');
    request().then(() => setState('sent'), setState);
  };
  return [state, send];
}

/** Says why something could not be sent. */
export function SendingError({ state }: { readonly state: Sending }) {
  if (!(state instanceof Error)) return null;
  return (
    <span role="alert" class="trouble">
      {state.message}
    </span>
  );
}
