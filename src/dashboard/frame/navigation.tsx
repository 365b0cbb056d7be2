import { Bell, Boxes, ChartNoAxesCombined, Coins, Compass, Siren, type IconNode } from 'lucide';
import { linkTo } from '../data/view.js';
import { Icon } from '../parts/icon.js';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: IconNode;
  /** First parts of the paths of all pages that belong to it. */
  readonly of: readonly string[];
}

const PLACES: readonly Place[] = [
  { path: '', name: 'Fleet', icon: Boxes, of: ['', 'node', 'chain', 'nodes'] },
  { path: 'incidents', name: 'Incidents', icon: Siren, of: ['incidents', 'incident'] },
  {
    path: 'submissions',
    name: 'Submissions',
    icon: ChartNoAxesCombined,
    of: ['submissions', 'submission', 'block'],
  },
  { path: 'cost', name: 'Cost', icon: Coins, of: ['cost'] },
  { path: 'alerts', name: 'Alerts', icon: Bell, of: ['alerts'] },
];

/** The name of the product, and links to its places. */
export function Navigation({
  path,
  openIncidents,
}: {
  readonly path: string;
  readonly openIncidents: string;
}) {
  const [, first = ''] = path.split('/');
  return (
    <nav class="navigation" aria-label="Pages">
      <a class="name" href={linkTo([''])}>
        <Logo />
        Hindsight
      </a>
      <ul>
        {PLACES.map(({ path: to, name, icon, of }) => (
          <li key={name}>
            <a href={linkTo([to])} aria-current={of.includes(first) ? 'page' : undefined}>
              <Icon of={icon} />
              {name}
              {to === 'incidents' && openIncidents !== '' && (
                <b class="count" title={`${openIncidents} open`}>
                  {openIncidents}
                </b>
              )}
            </a>
          </li>
        ))}
        <li>
          <a href="/ide">
            <Icon of={Compass} />
            Explore
          </a>
        </li>
      </ul>
    </nav>
  );
}

/** A dot seen from later: the ring around it is what came after. */
function Logo() {
  return (
    <svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2.5" />
      <circle cx="8" cy="8" r="2" fill="currentColor" />
    </svg>
  );
}
