import './chat-feed.test.ts';
