export {
  type Completion,
  continueInChat,
  findChatOf,
  findCompletionOfCall,
  findFormerCompletion,
  startChatOf,
} from './completions.ts';
