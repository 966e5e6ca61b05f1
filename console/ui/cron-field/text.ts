import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a field for times that recur says, in the language of the page. */
export const useCronText = ownText({
  en: {
    preset: 'How often',
    own: 'By an expression',
    presets: {
      '0 * * * *': 'Each hour',
      '0 9 * * *': 'Each day at 9:00',
      '0 9 * * 1-5': 'On working days at 9:00',
      '0 9 * * 1': 'Each Monday at 9:00',
      '0 9 1 * *': 'On the first of each month at 9:00',
    },
    hint: 'Minute, hour, day of the month, month, day of the week.',
    zone: 'Time zone',
    clockChange: 'On the days when its clock changes, times between 0:00 and 4:00 may be left out or come twice.',
    next: 'The next times',
    none: 'No time is left.',
    inZone: (zone: string) => `In ${zone}`,
    here: 'On your clock',
  },
});
