export function HatchedWords() {
  return (
    <p class="quiet">
      Hatched: counted in part. That time is not over, the range cuts it, or some of what is recorded of it is
      still being counted.
    </p>
  );
}
