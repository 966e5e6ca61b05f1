import { Plus, Trash2 } from 'lucide-react';
import { namesIn } from '../../../domain/agent-workflows.ts';
import { Button } from '../../ui/controls/button.tsx';
import { type Choice, ChoiceField } from '../../ui/controls/choice.tsx';
import { Field, FieldFrame, TextAreaField } from '../../ui/fields/text-fields.tsx';
import { CheckboxField, NumberField } from '../../ui/fields/fields.tsx';
import { SortableList } from '../../ui/sortable-list/sortable-list.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useWorkflowsText } from '../text.ts';
import classes from '../workflows.module.css';
import { type EditedStep, withStep } from './workflow-values.ts';

const MOST = 20;

interface StepsFieldProps {
  readonly name: string;
  readonly value: readonly EditedStep[];
  readonly onValueChange: (steps: readonly EditedStep[]) => void;
  readonly agents: readonly Choice[];
  /** What the first step begins with: the prompt that the steps take the place of. */
  readonly firstPrompt: string;
}

/** The steps of a workflow, in their order. */
export function StepsField({ name, value: steps, onValueChange, agents, firstPrompt }: StepsFieldProps) {
  const text = useWorkflowsText();
  const add = () => {
    const prompt_template = steps.length === 0 ? firstPrompt : '';
    const step = { name: freeName(steps, text.newStep), prompt_template, agent_id: null, approval: false, retries: 0 };
    onValueChange(withStep(steps, step));
  };
  const rows = steps.map((step, at) => ({ step, at }));
  return (
    <FieldFrame label={text.steps} name={name} hint={text.stepsWhy} isLabelled={false}>
      {rows.length > 0 && (
        <SortableList
          label={text.steps}
          rows={rows}
          keyOf={({ step }) => step.key}
          nameOf={({ step }) => step.name}
          onOrderChange={(moved) => onValueChange(moved.map(({ step }) => step))}
        >
          {({ step, at }) => (
            <StepFields
              path={`${name}.${at}`}
              step={step}
              agents={agents}
              onChange={(changed) => onValueChange(steps.with(at, changed))}
              onRemove={() => onValueChange(steps.toSpliced(at, 1))}
            />
          )}
        </SortableList>
      )}
      {steps.length > 0 && firstPrompt !== '' && <p className="measure soft font-normal">{text.promptKept}</p>}
      {steps.length < MOST && (
        <div>
          <Button icon={Plus} onClick={add}>
            {text.addStep}
          </Button>
        </div>
      )}
    </FieldFrame>
  );
}

interface StepFieldsProps {
  /** Where the step is in what the server is sent: what it says of its fields is shown at them. */
  readonly path: string;
  readonly step: EditedStep;
  readonly agents: readonly Choice[];
  readonly onChange: (step: EditedStep) => void;
  readonly onRemove: () => void;
}

function StepFields({ path, step, agents, onChange, onRemove }: StepFieldsProps) {
  const text = useWorkflowsText();
  const field = <K extends keyof EditedStep>(key: K) => ({
    name: `${path}.${key}`,
    value: step[key],
    onValueChange: (value: EditedStep[K]) => onChange({ ...step, [key]: value }),
  });
  return (
    <div className={classes.step}>
      <div className={`line items-start ${classes.stepHead}`}>
        <Field label={text.stepName} hint={text.stepNameHint} required {...field('name')} />
        <Button icon={Trash2} variant="quiet" aria-label={text.removeStep(step.name)} onClick={onRemove} />
      </div>
      <PromptField label={text.prompt} {...field('prompt_template')} />
      <ChoiceField
        label={text.agentOfStep}
        hint={text.agentOfStepHint}
        placeholder={text.agentPlaceholder}
        choices={agents}
        {...field('agent_id')}
      />
      <CheckboxField label={text.approval} {...field('approval')} />
      <NumberField
        label={text.retries}
        min={0}
        max={5}
        {...field('retries')}
        onValueChange={(retries) => onChange({ ...step, retries: retries ?? 0 })}
      />
    </div>
  );
}

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
          <span className="measure soft font-normal">{text.used}</span>
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

/** Returns a name that no step has yet. */
function freeName(steps: readonly EditedStep[], nameOf: (n: number) => string): string {
  let n = steps.length + 1;
  while (steps.some(({ name }) => name === nameOf(n))) n += 1;
  return nameOf(n);
}
