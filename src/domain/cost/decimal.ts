/** Digits on either side of the point are bounded in text from outside, so that hostile text costs nothing. */
const DECIMAL = /^(-?)(\d{1,100})(?:\.(\d{1,100}))?$/;
/** A sum has as many digits as it has. */
const OWN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * An exact decimal number that never changes: digits × 10^-scale, scale at least 0 and as small as it gets.
 * Nothing is ever rounded but by `ceil` and `dividedBy`, and `toNumber`, which is for showing only.
 */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);

  private constructor(
    private readonly digits: bigint,
    private readonly scale: number,
  ) {}

  /** Reads plain decimal text such as `-12.0040`; undefined for anything else, exponents and bare points too. */
  static parse(text: string): Decimal | undefined {
    return Decimal.match(DECIMAL, text);
  }

  /**
   * Reads what Hindsight wrote itself, of whatever length: sums, and what the database made of them.
   * @throws RangeError for what is no plain decimal text
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

  /** Below 0, 0 or above 0: as this one is less than, equal to or greater than the other. */
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

  /** The least integer that is not less. */
  ceil(): bigint {
    const unit = 10n ** BigInt(this.scale);
    const whole = this.digits / unit;
    return this.digits > 0n && whole * unit !== this.digits ? whole + 1n : whole;
  }

  /**
   * The quotient with so many digits after the point; what lies in the middle goes to the even digit.
   * @throws RangeError for a divisor of zero or a scale that is no whole number from 0
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

  /** Plain digits, without an exponent and without zeros that say nothing. */
  toString(): string {
    const padded = absolute(this.digits)
      .toString()
      .padStart(this.scale + 1, '0');
    const point = padded.length - this.scale;
    const fraction = this.scale > 0 ? `.${padded.slice(point)}` : '';
    return `${this.digits < 0n ? '-' : ''}${padded.slice(0, point)}${fraction}`;
  }

  /** The nearest double, for charts: never to be computed with. */
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
