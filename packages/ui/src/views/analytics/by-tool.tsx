/** The same numbers for each tool. */
import type { ToolNumbers } from '../../../../spillway/src/inspector/api.ts';
import { formatCount, formatShort } from '../../data/figures.ts';
import { settingsAddress } from '../settings/settings.tsx';

const COLUMNS: readonly (readonly [name: string, title: string, of: (numbers: ToolNumbers) => string])[] = [
  ['Results', 'Results that were recorded', ({ outputs }) => formatCount(outputs)],
  ['Cut', 'Results of which the model was shown a part', ({ cut }) => formatCount(cut)],
  [
    'Median',
    'Half of the results have at most so many chars',
    ({ median_chars }) => formatShort(median_chars),
  ],
  ['p95', '95 of 100 results have at most so many chars', ({ p95_chars }) => formatShort(p95_chars)],
  ['Saved', 'Tokens saved, net of what was fetched later', ({ tokens_saved }) => formatShort(tokens_saved)],
  ['Fetched again', 'Cut results of which something was fetched', ({ refetched }) => formatCount(refetched)],
  [
    'Not followed up',
    'Cut results of which nothing was fetched',
    ({ unfollowed }) => formatCount(unfollowed),
  ],
  ['Made again', 'Calls that were made again', ({ reexecuted }) => formatCount(reexecuted)],
  ['Losses', 'Suspected losses', ({ losses }) => formatCount(losses)],
];

export function ByTool({ tools }: { tools: readonly ToolNumbers[] }) {
  return (
    <section class="section">
      <h2>By tool</h2>
      <table class="table cards two">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {COLUMNS.map(([name, title]) => (
              <th scope="col" key={name} title={title}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((numbers) => (
            <tr key={numbers.tool}>
              <th scope="row">
                <a href={settingsAddress(numbers.tool)}>{numbers.tool}</a>
              </th>
              {COLUMNS.map(([name, , of]) => (
                <td key={name} data-label={name}>
                  {of(numbers)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
