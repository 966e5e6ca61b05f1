import { count } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what charts say, in the language of the page. */
export const useChartsText = ownText({
  en: {
    showTable: 'Show as a table',
    day: 'Day',
    total: 'Total',
  },
});

/** Returns what blocks of code and buttons that copy say, in the language of the page. */
export const useCodeText = ownText({
  en: {
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Could not copy',
    copyByKeys: 'Copy this text with Ctrl+C or ⌘C',
    code: (language: string) => (language === '' ? 'Code' : `Code, ${language}`),
  },
});

/** Returns what fields say about what is not saved or not chosen, in the language of the page. */
export const useControlsText = ownText({
  en: {
    unsaved: 'Not saved yet',
    faults: {
      valueMissing: 'Fill this in.',
      tooShort: 'This is too short.',
      tooLong: 'This is too long.',
      typeMismatch: 'This is not complete.',
      badInput: 'This is not complete.',
    },
    theirs: (words: string) => `Changed by somebody else to: ${words}`,
    takeTheirs: 'Take it',
    notChosen: (words: string) => `“${words}” was not chosen. Choose an entry of the list with Enter or a click.`,
  },
});

/** Returns what a field for times that recur says, in the language of the page. */
export const useCronText = ownText({
  en: {
    recurs: 'Repeats',
    recursChoices: { cron: 'on a calendar', interval: 'at an interval' },
    interval: 'Every',
    minutes: 'minutes',
    expression: 'Expression',
    preset: 'How often',
    own: 'Custom (cron)',
    presets: {
      '* * * *': 'Every hour',
      '* * *': 'Every day',
      '* * 1-5': 'On weekdays',
      '* * 1': 'Every Monday',
      '1 * *': 'On the first of the month',
    },
    at: 'At',
    atTime: (days: string, time: string) => `${days} at ${time}`,
    hint: 'Minute, hour, day of the month, month, day of the week.',
    zone: 'Time zone',
    clockChange: 'When clocks change, times between 0:00 and 4:00 may be skipped or come twice.',
    next: 'Next runs',
    none: 'No runs left.',
    inZone: (zone: string) => `In ${zone}`,
    here: 'Your time',
  },
});

/** Returns what editors say, in the language of the page. */
export const useEditorText = ownText({
  en: {
    leave: 'Press Escape, then Tab, to leave the editor.',
    loading: 'Loading the editor',
    notJson: (line: number) => `Line ${line} is not JSON from here on.`,
    notFitting: 'Enter an object: { "name": "value" }.',
  },
});

/** Returns what the fields say that are not plain text, in the language of the page. */
export const useFieldsText = ownText({
  en: {
    increase: 'Increase',
    decrease: 'Decrease',
    nothingFound: 'Nothing found',
    none: 'None',
    gone: 'No longer there',
    remove: (name: string) => `Remove ${name}`,
  },
});

/** Returns what lists of files say, in the language of the page. */
export const useFilesText = ownText({
  en: {
    waiting: 'waiting',
    progress: (name: string) => `Upload of ${name}`,
    failed: (why: string) => `not uploaded: ${why}`,
    offline: 'the server cannot be reached',
    retry: 'Retry',
    remove: (name: string) => `Remove ${name}`,
  },
});

/** Returns what a form that edits a record says, in the language of the page. */
export const useFormText = ownText({
  en: {
    save: 'Save',
    unsaved: 'Unsaved changes',
    nothingToSave: 'Nothing was changed.',
    discard: 'Discard changes',
    changedMeanwhile: 'Somebody else has changed this in the meantime.',
    changedMeanwhileWhy: 'Compare the stored version with your changes, or overwrite it with yours.',
    showStored: 'Show what is stored',
    overwrite: 'Overwrite with mine',
    leaveTitle: 'Leave without saving?',
    leaveWhy: 'Your changes are kept in this browser as a draft. You can come back to them.',
    leaveWithSecret: 'Your changes are kept in this browser as a draft, but no secrets that you have entered.',
    leaveWithInvalid:
      'Your changes are kept in this browser as a draft, but no text that is not valid yet, and no secrets.',
    stay: 'Stay',
    leave: 'Leave, keep the draft',
    leaveAndDiscard: 'Discard and leave',
    toForm: 'Edit as a form',
    toJson: 'Edit as JSON',
    json: 'JSON',
    jsonHint: 'As in the API, without secrets. It is saved like the form: only changes are sent.',
    jsonFirst: 'The text is not valid yet: correct or discard it first.',
    noObject: 'It must be an object.',
    missing: (name: string) => `“${name}” is missing.`,
    unknown: (name: string) => `“${name}” is not a field of this record.`,
    wrongKind: (name: string) => `“${name}” is of a different type than what is stored.`,
    unfit: 'It does not match the fields of this record.',
    unshown: 'The JSON cannot be shown as a form. Change it there.',
    more: 'More actions',
    duplicate: 'Duplicate',
    export: 'Export as JSON',
    copyOf: (name: string, n: number) => `${name.slice(0, 180)} copy${n === 1 ? '' : ` ${n}`}`,
  },
});

/** What a form that edits a record says. */
export type FormText = ReturnType<typeof useFormText>;

/** Returns what texts in Markdown are given besides their own words, in the language of the page. */
export const useMarkdownText = ownText({
  en: {
    table: 'Table',
    formula: 'Formula',
    diagram: 'Diagram',
    source: 'Source',
    picture: (description: string) => (description === '' ? 'Picture' : `Picture: ${description}`),
  },
});

/** Returns what windows that ask or warn say, in the language of the page. */
export const useOverlaysText = ownText({
  en: {
    typeName: (name: string) => `Type ${name} to go on`,
    nameFirst: 'Type the name first.',
    shownOnce: 'This is shown only once. Anyone who has it can use it.',
    stored: 'I have copied it',
  },
});

/** Returns what the parts of a page say, in the language of the page. */
export const usePageText = ownText({
  en: {
    more: 'Load more',
    filters: 'Filters',
    addFilter: 'Add a filter',
    clearFilters: 'Clear all',
    removeFilter: (name: string) => `Remove the filter ${name}`,
  },
});

/** Returns what a form from a schema says, in the language of the page. */
export const useSchemaText = ownText({
  en: {
    onePerLine: 'One on each line.',
    notSet: 'Not set',
  },
});

/** Returns what a list that is put in order says, in the language of the page. */
export const useSortableText = ownText({
  en: {
    hint: 'Alt with the arrow up or down moves a row.',
    move: (name: string) => `Move ${name}`,
    up: 'Move up',
    down: 'Move down',
    first: 'Move to the top',
    last: 'Move to the end',
    moved: (name: string, position: number, of: number) => `${name} is now number ${position} of ${of}.`,
  },
});

/** Returns what a list beside a detail says, in the language of the page. */
export const useSplitText = ownText({
  en: {
    next: 'Next in the list',
    previous: 'Previous in the list',
    width: 'Width of the list',
    back: 'Back to the list',
  },
});

/** Returns what lists of values say about those that are long or many, in the language of the page. */
export const useValuesText = ownText({
  en: {
    size: (lines: number, characters: number) =>
      `${count(lines, 'line', 'lines')}, ${count(characters, 'character', 'characters')}`,
    more: (n: number) => count(n, 'more argument', 'more arguments'),
  },
});
