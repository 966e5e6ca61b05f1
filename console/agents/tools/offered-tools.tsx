import { Plus } from 'lucide-react';
import { type ReactNode, useId, useMemo } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { SearchField } from '../../ui/controls/search-field.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useAgentsText } from '../text.ts';
import type { Tool } from '../editor/choices.ts';
import classes from '../editor/editor.module.css';

interface OfferedToolsProps {
  readonly tools: readonly Tool[];
  readonly filter: string;
  readonly onFilter: (words: string) => void;
  readonly onGive: (key: string) => void;
}

/** The tools that an agent could have as well, by category. */
export function OfferedTools({ tools, filter, onFilter, onGive }: OfferedToolsProps): ReactNode {
  const text = useAgentsText().picker;
  const id = useId();
  const groups = useMemo(() => byCategory(tools, filter.trim().toLowerCase()), [tools, filter]);
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <h3 id={id}>{text.offered}</h3>
      <SearchField label={text.search} value={filter} isInstant onChange={onFilter} />
      {groups.length === 0 && <p className={classes.lead}>{text.none}</p>}
      <div className={classes.scroll}>
        {groups.map(([category, members]) => (
          <section key={category} aria-labelledby={`${id}-${category}`}>
            <h4 id={`${id}-${category}`}>{category}</h4>
            <ul className={classes.tools}>
              {members.map((tool) => (
                <OfferedTool key={tool.id} tool={tool} onGive={onGive} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}

function OfferedTool({ tool, onGive }: { readonly tool: Tool; readonly onGive: (key: string) => void }): ReactNode {
  const text = useAgentsText().picker;
  const { key, name, description, problem, reason } = tool;
  const why = problem ?? reason;
  return (
    <li className={classes.tool}>
      <span className={classes.words}>
        <strong>{showInvisible(name)}</strong>
        <code>{key}</code>
        <span className={classes.lead}>{showInvisible(description)}</span>
        {why !== null && <span className={classes.problem}>{showInvisible(why)}</span>}
      </span>
      <Button look="quiet" aria-label={text.add(name)} onClick={() => onGive(key)}>
        <Plus aria-hidden />
      </Button>
    </li>
  );
}

function byCategory(tools: readonly Tool[], wanted: string): readonly (readonly [string, readonly Tool[]])[] {
  const found = tools.filter(({ key, name, description }) =>
    `${key}\n${name}\n${description}`.toLowerCase().includes(wanted),
  );
  const groups = Map.groupBy(found, ({ category }) => category);
  return [...groups].toSorted(([one], [other]) => one.localeCompare(other));
}
