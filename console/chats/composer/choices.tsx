import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useChatsText } from '../text.ts';
import classes from './composer.module.css';

/** Something that is done by a word after a slash, instead of a message. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly label: string;
  readonly run: () => void;
}

/** Somebody whom a message can name after an `@`. */
export interface Mention {
  readonly name: string;
  readonly label: string;
  /** What naming them does, in the place of the name; undefined for nothing but the name. */
  readonly run?: (() => void) | undefined;
}

/** A line of the list. */
interface Choice {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

const MOST_MENTIONS = 8;

interface ChoicesOptions {
  readonly text: string;
  /** Writes another text; `caret` is where one goes on writing. */
  readonly onText: (text: string, caret: number) => void;
  /** Where somebody has written last; undefined when that was left. */
  readonly caret: number | undefined;
  readonly onLeave: () => void;
  readonly commands: readonly Command[] | undefined;
  readonly mentions: readonly Mention[] | undefined;
}

/** Returns the commands or the names that what is written may mean, and what chooses among them. */
export function useChoices(options: ChoicesOptions) {
  const id = useId();
  const offered = [...commandsFor(options), ...mentionsFor(options)];
  const [chosen, setChosen] = useState(0);
  const active = Math.min(chosen, offered.length - 1);
  const run = (choice: Choice) => {
    setChosen(0);
    choice.run();
  };
  const leave = ({ key }: Choice) => {
    if (key.startsWith('/')) options.onText('', 0);
    else options.onLeave();
  };
  return {
    id,
    offered,
    active,
    run,
    /** What a field says of the list that its keys choose from. */
    field: offered.length === 0 ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${active}` },
    /** Returns whether a key was one of the list. */
    takesKey: (event: KeyboardEvent): boolean => {
      const choice = offered[active];
      if (choice === undefined || !isOfList(event)) return false;
      event.preventDefault();
      if (event.key === 'Enter' || event.key === 'Tab') run(choice);
      else if (event.key === 'Escape') leave(choice);
      else setChosen((active + (event.key === 'ArrowUp' ? offered.length - 1 : 1)) % offered.length);
      return true;
    },
  };
}

// A command is a slash and the beginning of its name, and nothing else.
function commandsFor({ text, caret, onText, commands = [] }: ChoicesOptions): readonly Choice[] {
  const begin = /^\/([a-z]*)$/.exec(text)?.[1];
  if (begin === undefined || caret === undefined) return [];
  return commands
    .filter(({ name }) => name.startsWith(begin))
    .map(({ name, label, run }) => ({
      key: `/${name}`,
      label,
      run: () => {
        onText('', 0);
        run();
      },
    }));
}

function mentionsFor({ text, caret, onText, mentions = [] }: ChoicesOptions): readonly Choice[] {
  const before = text.slice(0, caret);
  const begin = caret === undefined ? undefined : /(?:^|\s)@([^\s@]*)$/.exec(before)?.[1];
  if (begin === undefined) return [];
  const [head, tail] = [before.slice(0, before.length - begin.length - 1), text.slice(caret)];
  return mentions
    .filter(({ name }) => name.split(/\s/).some((word) => word.toLowerCase().startsWith(begin.toLowerCase())))
    .slice(0, MOST_MENTIONS)
    .map(({ name, label, run }) => ({
      key: `@${name}`,
      label,
      run: () => {
        const named = run === undefined ? `${head}@${name} ` : head;
        onText(named + tail, named.length);
        run?.();
      },
    }));
}

function isOfList({ key, shiftKey }: KeyboardEvent): boolean {
  return !shiftKey && ['Enter', 'Tab', 'Escape', 'ArrowUp', 'ArrowDown'].includes(key);
}

interface ChoiceListProps {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** The one that Enter runs. */
  readonly active: number;
  readonly onRun: (choice: Choice) => void;
}

/** Shows what may be meant. The keys of the field choose among it. */
export function ChoiceList({ id, choices, active, onRun }: ChoiceListProps): ReactNode {
  const text = useChatsText();
  const [first] = choices;
  if (first === undefined) return null;
  const label = first.key.startsWith('/') ? text.commands.label : text.composer.agents;
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- its field is the composer's, which keeps the focus
    <div id={id} role="listbox" aria-label={label} className={`card ${classes.commands}`}>
      {choices.map((choice, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys of the field run it
        <div
          key={choice.key}
          id={`${id}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as for the list
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          className={classes.command}
          // The focus stays in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onRun(choice)}
        >
          <span className={classes.key}>{choice.key}</span>
          <span className="truncate">{choice.label}</span>
        </div>
      ))}
    </div>
  );
}
