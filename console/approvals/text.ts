import { ownText } from '../core/text/text-context.tsx';

/** Returns what is said of a decision where it is made, in the language of the page. */
export const useApprovalsText = ownText({
  en: {
    content: 'Requested call',
    details: 'What it does',
    arguments: 'Arguments',
    otherArguments: 'Other arguments',
    allArguments: (n: number) => `All arguments (${n})`,
    argumentsUsed: 'Changed arguments',
    noArguments: 'No arguments.',
    change: 'Change the arguments',
    keep: 'Keep the arguments',
    changeHint: 'A secret that is shown as *** has to be given again.',
    notEditable: 'The arguments of this call cannot be changed.',
    approve: 'Approve',
    deny: 'Deny',
    question: 'Question',
    asksUser: (name: string) => `Asks ${name}`,
    asksRole: (role: string) => `Asks whoever has the role ${role} or a higher one`,
    asksOthers: 'Somebody else is asked',
    fallback: (answer: string, until: string) => `Without an answer by ${until}, the agent continues with “${answer}”.`,
    answerField: 'Your answer',
    note: 'Note',
    answer: 'Answer',
    decline: 'Decline to answer',
    addNote: 'Add a note',
    noteHint: 'Sent to the agent.',
    hasApproved: 'You have approved it; others have to, too',
    otherPerson: 'Somebody else has to approve what is done in your name',
  },
});
