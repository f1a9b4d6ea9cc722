/** The keyboard map, from its table. */
import { Dialog } from '../components/dialog.tsx';
import { KEY_MAP } from './keys.ts';

export function Help({ onClose }: { onClose: () => void }) {
  const groups = [...new Set(Object.values(KEY_MAP).map(({ group }) => group))];
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div class="keys">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {Object.values(KEY_MAP)
                .filter((each) => each.group === group)
                .map(({ keys, says }) => (
                  <li key={keys}>
                    <span>
                      {keys.split(' ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </span>
                    <span>{says}</span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
      <p class="hint">
        Ctrl+F in a log opens the search through everything; pressed again, the browser’s own.
      </p>
    </Dialog>
  );
}
