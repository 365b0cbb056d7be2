import { CopyButton } from './copy-button.js';
import { Card } from './card.js';

/** The lines of `hindsight.yaml` that set up a first destination, and a rule next to ours. */
const LINES = `publicUrl: https://da.example # where people reach these pages: messages link to them
alerts:
  destinations:
    - { id: ops, webhook: "https://ops.example/hook" }
    # or: { id: chat, slack: "https://hooks.slack.com/services/…" }
    # or: { id: am, alertmanager: "http://alertmanager:9093" }
    # or: { id: mail, email: ops@example.org, smtp: "smtps://mail.example.org", from: hindsight@example.org }
  rules: # all built-in rules apply; add your own, or change one by its name
    - { name: dear-month, cost: { budget: 500, unit: TIA, per: month } }
`;

/** Says how to be notified, where the settings name no destination. */
export function AlertSetup() {
  return (
    <Card title="Set up alerts" actions={<CopyButton name="Copy" text={() => LINES} />}>
      <p>
        The settings name no destination, so no rule is evaluated and no alert is sent. Add these lines to{' '}
        <code>hindsight.yaml</code>, with an address of yours, and start Hindsight again:
      </p>
      <pre class="command" aria-label="Lines of hindsight.yaml">
        {LINES}
      </pre>
      <p class="quiet">
        One destination is enough: built-in rules report failing DA submissions, frozen finality, nodes that
        do not answer, gaps in the record and more. Each has a runbook, for example{' '}
        <a href="/runbooks/da-failing">DA submissions fail</a>.
      </p>
    </Card>
  );
}
