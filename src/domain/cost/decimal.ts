/** The number of digits on either side of the point is limited in foreign text, so that hostile text costs nothing. */
const DECIMAL = /^(-?)(\d{1,100})(?:\.(\d{1,100}))?$/;
/** Sums may have any number of digits. */
const OWN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * An exact, immutable decimal number: digits × 10^-scale, scale at least 0 and as small as possible. Only `ceil` and
 * `dividedBy` round, and `toNumber`, which is for showing only.
 */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);

  private constructor(
    private readonly digits: bigint,
    private readonly scale: number,
  ) {}

  /** Reads plain decimal text such as `-12.0040`; undefined for anything else, including exponents and bare points. */
  static parse(text: string): Decimal | undefined {
    return Decimal.match(DECIMAL, text);
  }

  /**
   * Reads decimals that Hindsight wrote itself, of any length: sums, and results of the database.
   * @throws RangeError unless it is plain decimal text
   */
  static read(text: string): Decimal {
    const decimal = Decimal.match(OWN_DECIMAL, text);
    if (!decimal) throw new RangeError(`Not a decimal: ${text}`);
    return decimal;
  }

  private static match(form: RegExp, text: string): Decimal | undefined {
    const [matched, sign, whole = '', fraction = ''] = form.exec(text) ?? [];
    if (matched === undefined) return undefined;
    const digits = BigInt(whole + fraction);
    return Decimal.trimmed(sign === '-' ? -digits : digits, fraction.length);
  }

  static of(integer: bigint): Decimal {
    return new Decimal(integer, 0);
  }

  private static trimmed(digits: bigint, scale: number): Decimal {
    if (digits === 0n) return Decimal.ZERO;
    let [kept, left] = [digits, scale];
    while (left > 0 && kept % 10n === 0n) {
      kept /= 10n;
      left -= 1;
    }
    return new Decimal(kept, left);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return Decimal.trimmed(this.digitsAt(scale) + other.digitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negate());
  }

  times(other: Decimal): Decimal {
    return Decimal.trimmed(this.digits * other.digits, this.scale + other.scale);
  }

  negate(): Decimal {
    return new Decimal(-this.digits, this.scale);
  }

  /** Below 0, 0 or above 0, if this number is less than, equal to or greater than the other. */
  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    const [a, b] = [this.digitsAt(scale), other.digitsAt(scale)];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  isNegative(): boolean {
    return this.digits < 0n;
  }

  isZero(): boolean {
    return this.digits === 0n;
  }

  /** The lowest integer that is not less than this number. */
  ceil(): bigint {
    const unit = 10n ** BigInt(this.scale);
    const whole = this.digits / unit;
    return this.digits > 0n && whole * unit !== this.digits ? whole + 1n : whole;
  }

  /**
   * The quotient with `scale` digits after the point, rounded half to even.
   * @throws RangeError for a divisor of zero or a scale that is not a whole number from 0
   */
  dividedBy(other: Decimal, scale: number): Decimal {
    if (other.isZero()) throw new RangeError('Division by zero');
    if (!Number.isSafeInteger(scale) || scale < 0) throw new RangeError(`Not a scale: ${scale}`);
    const isNegative = this.digits < 0n !== other.digits < 0n;
    const dividend = absolute(this.digits) * 10n ** BigInt(scale + other.scale);
    const divisor = absolute(other.digits) * 10n ** BigInt(this.scale);
    const whole = dividend / divisor;
    const twiceRest = 2n * (dividend % divisor);
    const isUp = twiceRest > divisor || (twiceRest === divisor && whole % 2n === 1n);
    const quotient = isUp ? whole + 1n : whole;
    return Decimal.trimmed(isNegative ? -quotient : quotient, scale);
  }

  /** Plain digits, without an exponent and without superfluous zeros. */
  toString(): string {
    const padded = absolute(this.digits)
      .toString()
      .padStart(this.scale + 1, '0');
    const point = padded.length - this.scale;
    const fraction = this.scale > 0 ? `.${padded.slice(point)}` : '';
    return `${this.digits < 0n ? '-' : ''}${padded.slice(0, point)}${fraction}`;
  }

  /** The nearest double, for charts; never to be computed with. */
  toNumber(): number {
    return Number(this.toString());
  }

  private digitsAt(scale: number): bigint {
    return scale === this.scale ? this.digits : this.digits * 10n ** BigInt(scale - this.scale);
  }
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export const UTIA_PER_TIA = Decimal.of(1_000_000n);
