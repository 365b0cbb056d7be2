import { useEffect, useState } from 'preact/hooks';
import LIVE from './live.graphql?raw';
import type { HealthChangedSubscriptionVariables } from './answers.gen.js';
import { BACK, KEY_GIVEN, keyHeader } from './ask.js';

/** A change in the record, for example a state of health. */
export interface LiveChange {
  /** The name of the operation in `live.graphql`. */
  readonly kind: 'HealthChanged' | 'IncidentChanged' | 'SubmissionsObserved';
  /** The nodes and chains of the changes; all if left out. */
  readonly of?: Pick<HealthChangedSubscriptionVariables, 'nodes' | 'chains'>;
  /** The shortest time between two calls for changes of this kind, in ms; a second when left out. */
  readonly atMostEveryMs?: number;
}

/** State of the connection: `lost` from a failure until it is connected again. */
export type LiveState = 'connected' | 'connecting' | 'lost';

/** A subscription, by its name; the callbacks of all parts that share it. */
const subscriptions = new Map<string, Set<() => void>>();
const observers = new Set<(state: LiveState) => void>();
const PROTOCOL = 'graphql-transport-ws';
const AT_MOST_EVERY_MS = 1_000;
const PING_EVERY_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

let state: LiveState = 'connecting';
let socket: WebSocket | undefined;
let pauseMs = FIRST_PAUSE_MS;
let retry: number | undefined;
let wasConnected = false;
let isListening = false;

/**
 * Calls back when something of this kind was recorded, within about two seconds, and again if more was recorded since. Also calls
 * back when the connection is there again, because changes may have been missed. All parts of a page share one connection, which
 * is open while the page is visible.
 * @returns ends the calls
 */
export function onChange(
  { kind, of = {}, atMostEveryMs = AT_MOST_EVERY_MS }: LiveChange,
  callback: () => void,
): () => void {
  let timer: number | undefined;
  let calledMs = -Infinity;
  const call = (): void => {
    timer ??= window.setTimeout(
      () => {
        timer = undefined;
        calledMs = performance.now();
        callback();
      },
      Math.max(0, calledMs + atMostEveryMs - performance.now()),
    );
  };
  const name = JSON.stringify([kind, of.nodes ?? null, of.chains ?? null]);
  add(name, call);
  listen();
  connect();
  return () => {
    window.clearTimeout(timer);
    remove(name, call);
    if (subscriptions.size === 0) disconnect();
  };
}

/** The state of the connection, for a mark on the page. */
export function useLiveState(): LiveState {
  const [shown, show] = useState(state);
  useEffect(() => {
    observers.add(show);
    show(state);
    return () => void observers.delete(show);
  }, []);
  return shown;
}

function add(name: string, call: () => void): void {
  const calls = subscriptions.get(name);
  if (calls) calls.add(call);
  else {
    subscriptions.set(name, new Set([call]));
    if (state === 'connected') subscribe(name);
  }
}

function remove(name: string, call: () => void): void {
  const calls = subscriptions.get(name);
  calls?.delete(call);
  if (calls?.size !== 0) return;
  subscriptions.delete(name);
  if (state === 'connected') send({ id: name, type: 'complete' });
}

/** The name of a subscription is its id in the protocol, too. */
function subscribe(name: string): void {
  const [operationName, nodes, chains] = JSON.parse(name) as [string, ...(string[] | null)[]];
  send({
    id: name,
    type: 'subscribe',
    payload: { query: LIVE, operationName, variables: { nodes, chains } },
  });
}

function send(message: object): void {
  socket?.send(JSON.stringify(message));
}

function become(next: LiveState): void {
  state = next;
  for (const observer of observers) observer(next);
}

/** Opens the connection, unless it is open, not needed, or waits after a failure. */
function connect(): void {
  if (socket || retry !== undefined || document.hidden || subscriptions.size === 0) return;
  const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/graphql`, PROTOCOL);
  socket = opened;
  let isHeard = true;
  // A network that is gone closes nothing.
  const pings = window.setInterval(() => {
    if (!isHeard) end();
    isHeard = false;
    if (state === 'connected') send({ type: 'ping' });
  }, PING_EVERY_MS);
  const end = (): void => {
    window.clearInterval(pings);
    opened.close();
    if (socket !== opened) return;
    socket = undefined;
    become('lost');
    retry = window.setTimeout(again, pauseMs * (0.5 + Math.random() / 2));
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  };
  opened.addEventListener('open', () => send({ type: 'connection_init', payload: keyHeader() }));
  opened.addEventListener('close', end);
  opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
    isHeard = true;
    if (socket === opened) take(JSON.parse(data) as { type: string; id?: string });
  });
}

function take({ type, id = '' }: { readonly type: string; readonly id?: string }): void {
  if (type === 'ping') send({ type: 'pong' });
  if (type === 'next') for (const call of subscriptions.get(id) ?? []) call();
  if (type !== 'connection_ack') return;
  pauseMs = FIRST_PAUSE_MS;
  become('connected');
  for (const [name, calls] of subscriptions) {
    subscribe(name);
    if (wasConnected) for (const call of calls) call();
  }
  wasConnected = true;
}

/** Closes the connection on our side, so that it does not count as lost. */
function disconnect(): void {
  window.clearTimeout(retry);
  retry = undefined;
  const closed = socket;
  socket = undefined;
  closed?.close();
  become('connecting');
}

/** Connects without waiting any longer. */
function again(): void {
  window.clearTimeout(retry);
  retry = undefined;
  connect();
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : again()));
  window.addEventListener(BACK, again);
  window.addEventListener('online', again);
  window.addEventListener(KEY_GIVEN, () => {
    disconnect();
    again();
  });
}
