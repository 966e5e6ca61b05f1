import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a form that edits a record says, in the language of the page. */
export const useFormText = ownText({
  en: {
    save: 'Save',
    unsaved: 'Unsaved changes',
    nothingToSave: 'Nothing was changed.',
    discard: 'Discard changes',
    changedMeanwhile: 'Somebody else has changed this meanwhile.',
    changedMeanwhileWhy: 'Show what is stored to see it beside your changes, or save yours in its place.',
    showStored: 'Show what is stored',
    overwrite: 'Save mine in its place',
    leaveTitle: 'Leave without saving?',
    leaveWhy: 'Your changes are kept in this browser as a draft. You can come back to them.',
    leaveWithSecret: 'Your changes are kept in this browser as a draft, but no secrets that you have entered.',
    leaveWithInvalid:
      'Your changes are kept in this browser as a draft, but no text that is not valid yet, and no secrets.',
    stay: 'Stay',
    leave: 'Leave, keep the draft',
    leaveAndDiscard: 'Discard and leave',
    views: 'How the record is shown',
    form: 'Form',
    json: 'JSON',
    jsonHint: 'As the api takes it, without secrets. It is saved like the form: only what was changed is sent.',
    jsonFirst: 'What was typed is not valid yet: correct or discard it first.',
    noObject: 'It has to be an object.',
    missing: (name: string) => `“${name}” is missing.`,
    unknown: (name: string) => `“${name}” is not a field of this record.`,
    wrongKind: (name: string) => `“${name}” is of a different type than what is stored.`,
    unfit: 'It does not have the shape of this record.',
    unshown: 'What the JSON says cannot be shown as a form. Change it there.',
    more: 'More actions',
    duplicate: 'Duplicate',
    export: 'Export as JSON',
    copyOf: (name: string, n: number) => `${name.slice(0, 180)} copy${n === 1 ? '' : ` ${n}`}`,
  },
});

/** What a form that edits a record says. */
export type FormText = ReturnType<typeof useFormText>;
