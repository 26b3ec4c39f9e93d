/**
 * Lengths of lists without `first`. Of a tariff's rates they are the usual ones: a page of 100 whole tariffs is within
 * the limit. Of objects that are read by their mRIDs, of difference models, Identity Records, consents and webhooks, they are the maximum. An
 * event has a delivery for each webhook.
 */
export const LIST_LENGTHS: Readonly<Record<string, number>> = {
  'ProjectVersion.objectsByMRID': 25,
  'ProjectVersion.objectsAfter': 25,
  'TariffEvent.deliveries': 100,
  'RegisterEvent.deliveries': 100,
  'Query.webhooks': 100,
  'Query.identityRecords': 500,
  'Query.consents': 500,
  'ProjectVersion.models': 3,
  'Query.differenceModels': 100,
  'DifferenceModel.dependents': 100,
  'DifferenceModel.dependencyChain': 100,
  'ModelDependency.models': 100,
  'Tariff.rates': 2,
  'TariffScheduleEntry.daysAndHours': 2,
  'DaysAndHours.hours': 4,
  'HourlyRate.rate': 2,
  'HalfHourPrice.tiers': 2,
  'PriceInterval.tiers': 2,
};
/**
 * Costs of fields that read many rows for few values, execute many statements, or have long texts:
 * `unfittingObjects` examines up to 2,000 objects in a page of any size, a comparison the objects of two versions;
 * `objects` and `items` may search a whole version for a page of any size, `classCounts` counts its objects;
 * `incomingReferences` executes one statement for each object, `locations` ten for each version, `preconditions` two for each model and
 * `differentFiles` one for each comparison. URLs, `description` and `comments` have up to 2,048 characters, `detail` has 16 KiB, and
 * `mpxns` up to 500 MPxNs.
 */
export const READ_COSTS: Readonly<Record<string, number>> = {
  'ProjectVersion.unfittingObjects': 5_000,
  'ProjectVersion.objectAfter': 10,
  'ProjectVersion.objectsAfter': 250,
  'ProjectVersion.objects': 100,
  'ProjectVersion.classCounts': 50,
  'DifferenceModel.items': 100,
  'DifferenceModel.preconditions': 100,
  'ProjectVersion.locations': 50,
  'ObjectChange.incomingReferences': 100,
  'VersionComparison.counts': 200,
  'VersionComparison.differences': 200,
  'VersionComparison.differentFiles': 50,
  'TariffVersion.description': 10,
  'TariffVersion.comments': 10,
  'Tariff.description': 10,
  'Tariff.comments': 10,
  'Supplier.apiUrl': 10,
  'Supplier.oauthUrl': 10,
  'TariffConsent.mpxns': 50,
  'PrincipalVerification.detail': 20,
};
