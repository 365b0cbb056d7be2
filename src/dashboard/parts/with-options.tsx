/** A sentence whose command line options are drawn as code, because a browser breaks lines after their hyphens. */
export function WithOptions({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(--[\w.-]*\w)/).map((part, index) =>
        index % 2 === 1 ? (
          <code key={index} class="option">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}
