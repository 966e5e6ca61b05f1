import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import type { Tool } from '../editor/choices.ts';
import classes from '../editor/editor.module.css';

type Approvals = AgentValues['requires_approval'];
type Mode = Approvals[string];

interface GivenToolsProps {
  readonly keys: readonly string[];
  readonly all: readonly Tool[];
  readonly approvals: Approvals;
  readonly onTake: (key: string) => void;
  /** Called with undefined when the tool itself is to say when it asks. */
  readonly onApproval: (key: string, mode: Mode | undefined) => void;
}

/** The tools that an agent has, each with when its calls wait for an approval. */
export function GivenTools({ keys, all, approvals, onTake, onApproval }: GivenToolsProps): ReactNode {
  const text = useAgentsText().picker;
  const id = useId();
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <h3 id={id}>{text.given}</h3>
      {keys.length === 0 && <p className={classes.lead}>{text.nothing}</p>}
      <ul className={`${classes.tools} ${classes.scroll}`}>
        {keys.map((key) => (
          <GivenTool
            key={key}
            toolKey={key}
            tool={all.find((each) => each.key === key)}
            mode={approvals[key]}
            onTake={onTake}
            onApproval={onApproval}
          />
        ))}
      </ul>
    </section>
  );
}

interface GivenToolProps extends Pick<GivenToolsProps, 'onTake' | 'onApproval'> {
  readonly toolKey: string;
  /** Undefined when there is no such tool any more. */
  readonly tool: Tool | undefined;
  readonly mode: Mode | undefined;
}

const CHOICES = ['default', 'never', 'writes', 'always'] as const;

function GivenTool({ toolKey, tool, mode, onTake, onApproval }: GivenToolProps): ReactNode {
  const text = useAgentsText().picker;
  const name = showInvisible(tool?.name ?? toolKey);
  const why = tool === undefined ? text.gone : (tool.problem ?? tool.reason);
  return (
    <li className={classes.tool}>
      <span className={classes.words}>
        {tool === undefined ? <s>{name}</s> : <strong>{name}</strong>}
        <code>{toolKey}</code>
        {why !== null && <span className={classes.problem}>{showInvisible(why)}</span>}
      </span>
      <div className={classes.mode}>
        <SelectField
          label={text.approval(name)}
          isLabelHidden
          name={`requires_approval.${toolKey}`}
          value={mode ?? 'default'}
          options={CHOICES.map((value) => ({ value, label: text.approvals[value] }))}
          onValueChange={(chosen) => onApproval(toolKey, chosen === 'default' ? undefined : chosen)}
        />
      </div>
      <Button look="quiet" aria-label={text.remove(name)} onClick={() => onTake(toolKey)}>
        <X aria-hidden />
      </Button>
    </li>
  );
}
