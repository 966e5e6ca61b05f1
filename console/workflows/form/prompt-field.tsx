import { namesIn } from '../../../domain/agent-workflows/index.ts';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useWorkflowsText } from '../text.ts';
import classes from '../workflows.module.css';

interface PromptFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
}

/** A prompt with variables; the names that it uses stand below it. */
export function PromptField(props: PromptFieldProps) {
  const text = useWorkflowsText();
  const names = namesIn(props.value);
  return (
    <div>
      <TextAreaField {...props} />
      {names.length > 0 && (
        <p className={classes.chips}>
          <span className={classes.soft}>{text.used}</span>
          {names.map((name) => (
            <code key={name} className={classes.chip}>
              {showInvisible(name)}
            </code>
          ))}
        </p>
      )}
    </div>
  );
}
