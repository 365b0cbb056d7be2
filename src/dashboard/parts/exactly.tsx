/** A value in short form, with the exact value on hover. */
export function Exactly({ short, exact }: { readonly short: string; readonly exact: string }) {
  return <span title={exact}>{short}</span>;
}
