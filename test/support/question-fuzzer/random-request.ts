import { CURSORS, IDS, INTS, TEXTS } from './edge-values.js';
import { QuestionMaker, type QuestionSource } from './random-question.js';

/** A parameter as the OpenAPI document names it. */
interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
}

/** The parts of an OpenAPI document that requests are generated from. */
export interface RestDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly DocumentedParameter[] }>>>
  >;
}

/** Inputs for random requests, in addition to those of queries: `cursors` are those of REST. */
export interface RequestSource extends QuestionSource {
  readonly document: RestDocument;
  /** Files of routes with file names, such as `costs.csv`. */
  readonly files: readonly string[];
}

/** A request without a body. */
export interface RestRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
}

/** Raw texts in an address, which our clients would never send. */
const RAW = [
  '%',
  '%zz',
  '%c3%28',
  '%00',
  '%E0%A4%A',
  '..%2f..%2fetc%2fpasswd',
  '%252e%252e',
  '+',
  '&&&',
  '=',
  '[]',
];

/** Endings of files. */
const FORMATS = ['csv', 'ndjson', 'parquet'];

/** Generates requests to the documented routes, with values at the edges of every parameter. */
export class RequestMaker {
  private readonly questions: QuestionMaker;
  private readonly routes: { method: string; path: string; parameters: readonly DocumentedParameter[] }[];

  constructor(private readonly source: RequestSource) {
    this.questions = new QuestionMaker(source);
    this.routes = Object.entries(source.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method === 'get')
        .map(([method, { parameters = [] }]) => ({ method: method.toUpperCase(), path, parameters })),
    );
  }

  /** Generates a request; most go to a route with parameters. */
  make(): RestRequest {
    const rich = this.routes.filter(({ parameters }) => parameters.some((each) => each.in === 'query'));
    const { method, path, parameters } = this.pick(this.chance(0.8) && rich.length > 0 ? rich : this.routes);
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      name === 'format' && this.chance(0.9) ? this.pick(FORMATS) : this.part(),
    );
    const known = parameters.filter((each) => each.in === 'query');
    // With many parameters, some parameter would be refused each time.
    const query = known.flatMap(({ name }) => this.given(name, 2 / known.length));
    if (this.chance(0.05)) query.push(`${encode(this.pick(TEXTS))}=1`);
    if (this.chance(0.03)) query.push(this.pick(RAW));
    return {
      method: this.chance(0.05) ? this.pick(['HEAD', 'POST', 'OPTIONS', 'DELETE']) : method,
      path: `${place}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    };
  }

  private part(): string {
    if (this.chance(0.9)) return this.pick(this.source.files);
    return this.chance(0.5) ? this.pick(RAW) : encode(this.pick([...IDS, ...TEXTS]));
  }

  /** A parameter that appears never, once or several times. */
  private given(name: string, probability: number): string[] {
    // Without a bucket nothing else of a report would be tested.
    if (!this.chance(name === 'bucket' ? 0.3 : probability)) return [];
    const times = this.chance(0.05) ? 3 : 1;
    return Array.from({ length: times }, () => {
      const value = this.chance(0.03) ? this.pick(RAW) : encode(this.text(name));
      return `${name}=${value}`;
    });
  }

  private text(name: string): string {
    if (name === 'cursor') return this.pick([...this.source.known.cursors, ...CURSORS]);
    if (name === 'limit') return String(this.pick([...INTS, 1_000_000, 1_000_001, 9_999_999]));
    const value = this.questions.valueFor(name);
    return Array.isArray(value) ? value.map(toText).join(',') : toText(value);
  }

  private chance(probability: number): boolean {
    return this.source.random() < probability;
  }

  private pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.source.random() * values.length)] as T;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes a part of an address; half of a surrogate pair becomes the replacement character. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
