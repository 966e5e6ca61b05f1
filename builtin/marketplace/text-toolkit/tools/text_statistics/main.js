const count = (text, pattern) => (text.match(pattern) ?? []).length;

export default async function ({ text }) {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const sentences = Math.max(1, count(text, /[.!?…。！？]+(?=\s|$)/g));
  const syllables = words.reduce((sum, word) => sum + Math.max(1, count(word, /[aeiouyäöüáéíóúàèìòùâêîôû]+/giu)), 0);
  const frequencies = new Map();
  for (const word of words) {
    const key = word.toLowerCase();
    if (key.length > 3) frequencies.set(key, (frequencies.get(key) ?? 0) + 1);
  }
  const perSentence = words.length / sentences;
  const perWord = words.length === 0 ? 0 : syllables / words.length;
  return {
    characters: [...text].length,
    charactersWithoutBlanks: [...text.replace(/\s/g, '')].length,
    words: words.length,
    sentences,
    paragraphs: text.split(/\n\s*\n/).filter((part) => part.trim() !== '').length,
    lines: text.split('\n').length,
    readingMinutes: Math.round((words.length / 230) * 10) / 10,
    fleschReadingEaseEnglish: Math.round(206.835 - 1.015 * perSentence - 84.6 * perWord),
    wordsPerSentence: Math.round(perSentence * 10) / 10,
    frequent: [...frequencies]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 15)
      .map(([word, times]) => ({ word, times })),
  };
}
