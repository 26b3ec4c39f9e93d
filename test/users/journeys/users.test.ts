import { usualWirings } from '../../support/register';
import { type UserStory, beginStory } from '../../support/user-story';
import { usersOfTheEarlierInterface } from './of-the-earlier-interface';
import { usersOfMeterData } from './of-meter-data';
import { usersOfTariffs } from './of-tariffs';
import { usersOfTheGraph } from './of-the-graph';

describe.each(usualWirings())('From a fresh start (%s)', (wiring) => {
  const story = {} as UserStory;
  beforeAll(async () => {
    Object.assign(story, await beginStory(wiring));
  });
  afterAll(() => story.end?.());

  usersOfMeterData(story);
  usersOfTariffs(story);
  usersOfTheGraph(story);
  usersOfTheEarlierInterface(story);
});
