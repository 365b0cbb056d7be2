/** A value in short, and exactly where it is pointed at. */
export function Exactly({ short, exact }: { readonly short: string; readonly exact: string }) {
  return <span title={exact}>{short}</span>;
}
