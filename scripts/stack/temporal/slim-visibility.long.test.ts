import './slim-visibility.test.ts';
