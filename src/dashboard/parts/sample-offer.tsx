import { linkTo } from '../data/view.js';

/** Links to the sample record of a demo, which is longer and richer than the minutes that the demo itself has run. */
export function SampleOffer() {
  const chain = document.querySelector('meta[name=sample]')?.getAttribute('content');
  if (!chain) return null;
  return (
    <section class="notice" aria-label="Sample record">
      <strong>This demo includes a recorded year of a sample chain.</strong>
      <div class="tools">
        <a class="button" href={linkTo(['chain', chain], { last: '1y' })}>
          The year in charts
        </a>
        <a class="button" href={linkTo(['cost'], { chain })}>
          Its cost
        </a>
        <a class="button" href={linkTo(['incidents'], { chain, last: '5y' })}>
          Its incidents
        </a>
        <a class="button" href={linkTo(['submissions'], { chain, last: '5y' })}>
          Its submissions
        </a>
      </div>
    </section>
  );
}
