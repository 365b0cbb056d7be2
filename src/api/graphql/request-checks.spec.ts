import { refuseForeignPages } from './request-checks.js';

/** The `accept` header that urql sends. */
const ACCEPT =
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';
const DASHBOARD = 'https://dash.example.org';

const refuse = (method: string, headers: Record<string, string>): void =>
  refuseForeignPages({ method, headers }, [DASHBOARD]);

describe('requests of other origins', () => {
  it.each([
    ['a program', 'GET', { accept: ACCEPT }],
    ['a page of ours', 'GET', { accept: ACCEPT, 'sec-fetch-site': 'same-origin' }],
    ['an invited page', 'GET', { accept: ACCEPT, 'sec-fetch-site': 'cross-site', origin: DASHBOARD }],
    ['who accepts nothing else', 'HEAD', { accept: 'Application/GraphQL-Response+JSON;q=1' }],
    ['who asked before', 'GET', { 'graphql-require-preflight': '1', 'sec-fetch-site': 'cross-site' }],
    ['who bears a key', 'GET', { authorization: 'Bearer x' }],
    ['JSON', 'POST', { 'content-type': 'application/json; charset=utf-8' }],
    ['a question by GET that names JSON', 'GET', { 'content-type': 'application/json' }],
    ['GraphQL', 'POST', { 'content-type': 'application/graphql' }],
  ])('do not include %s', (_what, method, headers) => {
    expect(() => refuse(method, headers)).not.toThrow();
  });

  it.each([
    ['a script of one', 'GET', { accept: ACCEPT, 'sec-fetch-site': 'cross-site' }],
    ['a script of a neighbour', 'GET', { accept: ACCEPT, 'sec-fetch-site': 'same-site' }],
    ['an origin that is not invited', 'GET', { accept: ACCEPT, origin: 'https://evil.example' }],
    ['one that hides its origin', 'GET', { accept: ACCEPT, origin: 'null' }],
    ['a picture', 'GET', { accept: 'image/avif,image/webp,*/*;q=0.8' }],
    ['a link', 'GET', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-site': 'none' }],
    ['nothing that it accepts', 'GET', {}],
    ['a form', 'POST', { 'content-type': 'application/x-www-form-urlencoded', accept: ACCEPT }],
    ['plain text', 'POST', { 'content-type': 'text/plain;application/json', accept: ACCEPT }],
    ['a body without a type', 'POST', { accept: ACCEPT }],
  ])('are refused for %s', (_what, method, headers) => {
    expect(() => refuse(method, headers)).toThrow(/^(?:Send GET requests|Send `content-type)/);
  });
});
