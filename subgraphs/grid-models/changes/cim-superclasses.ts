/**
 * Subclasses of the CIM classes (IEC 61970-301, CIM100) whose attributes occur in EQ, SC and GL files, by superclass. `IdentifiedObject` is
 * absent: it is the superclass of nearly all.
 */
const SUBCLASSES: Readonly<Record<string, string>> = {
  PowerSystemResource: `ConnectivityNodeContainer Equipment RegulatingControl TapChanger HydroPowerPlant CAESPlant
    CogenerationPlant CombinedCyclePlant`,
  ConnectivityNodeContainer: 'EquipmentContainer',
  EquipmentContainer: 'Substation VoltageLevel Bay Line Plant DCConverterUnit DCEquipmentContainer Feeder',
  DCEquipmentContainer: 'DCLine',
  Equipment: 'ConductingEquipment AuxiliaryEquipment GeneratingUnit PowerElectronicsUnit DCConductingEquipment',
  GeneratingUnit:
    'ThermalGeneratingUnit HydroGeneratingUnit NuclearGeneratingUnit SolarGeneratingUnit WindGeneratingUnit',
  PowerElectronicsUnit: 'BatteryUnit PhotoVoltaicUnit PowerElectronicsWindUnit',
  AuxiliaryEquipment: 'FaultIndicator PostLineSensor Sensor SurgeArrester WaveTrap',
  Sensor: 'CurrentTransformer PotentialTransformer',
  ConductingEquipment: `Conductor Switch Connector PowerTransformer EnergyConnection EquivalentEquipment SeriesCompensator Ground
    EarthFaultCompensator ACDCConverter Clamp`,
  Conductor: 'ACLineSegment',
  Connector: 'BusbarSection Junction',
  Switch: 'ProtectedSwitch Disconnector Fuse GroundDisconnector Jumper Cut Sectionaliser',
  ProtectedSwitch: 'Breaker LoadBreakSwitch Recloser DisconnectingCircuitBreaker',
  EnergyConnection: 'RegulatingCondEq EnergyConsumer EnergySource',
  EnergyConsumer: 'ConformLoad NonConformLoad StationSupply',
  RegulatingCondEq:
    'RotatingMachine ShuntCompensator StaticVarCompensator ExternalNetworkInjection FrequencyConverter PowerElectronicsConnection',
  RotatingMachine: 'SynchronousMachine AsynchronousMachine',
  ShuntCompensator: 'LinearShuntCompensator NonlinearShuntCompensator',
  EarthFaultCompensator: 'GroundingImpedance PetersenCoil',
  EquivalentEquipment: 'EquivalentBranch EquivalentInjection EquivalentShunt',
  ACDCConverter: 'CsConverter VsConverter',
  RegulatingControl: 'TapChangerControl',
  TapChanger: 'RatioTapChanger PhaseTapChanger',
  PhaseTapChanger: 'PhaseTapChangerLinear PhaseTapChangerNonLinear PhaseTapChangerTabular',
  PhaseTapChangerNonLinear: 'PhaseTapChangerAsymmetrical PhaseTapChangerSymmetrical',
  TapChangerTablePoint: 'RatioTapChangerTablePoint PhaseTapChangerTablePoint',
  TransformerEnd: 'PowerTransformerEnd',
  ACDCTerminal: 'Terminal DCBaseTerminal',
  DCBaseTerminal: 'DCTerminal ACDCConverterDCTerminal',
  OperationalLimit: 'ActivePowerLimit ApparentPowerLimit CurrentLimit VoltageLimit',
  Curve: 'ReactiveCapabilityCurve GrossToNetActivePowerCurve VsCapabilityCurve',
  LoadGroup: 'ConformLoadGroup NonConformLoadGroup',
  Location: 'WorkLocation',
};

const SUPERCLASS: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBCLASSES).flatMap(([superclass, subclasses]) =>
    subclasses.split(/\s+/).map((subclass) => [`cim:${subclass}`, `cim:${superclass}`] as const),
  ),
);

/** Returns the classes of which every object of a prefixed class is also one, the nearest first. */
export function* superclassesOf(type: string): Generator<string> {
  for (let superclass = SUPERCLASS.get(type); superclass !== undefined; superclass = SUPERCLASS.get(superclass))
    yield superclass;
}
