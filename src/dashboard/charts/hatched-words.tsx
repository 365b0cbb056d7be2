export function HatchedWords() {
  return (
    <p class="quiet">
      Hatched: counted in part. This time is not over, the range cuts it, or some of its records are still
      being counted.
    </p>
  );
}
