"""Applies difference models to full models, by the Python standard library alone: independent of the register's reader and its rules.

Reads a JSON list of cases from the standard input: {"base": {file: text}, "project": {file: text}}. Writes a JSON list of
{"statements": [[file, subject, name, kind, value]], "findings": [[kind, file, subject, name, value]]}, each sorted, without repetition.
"""

import json
import re
import sys
from xml.etree import ElementTree

FILES = ["EQ", "SC", "GL"]
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
MD = "http://iec.ch/TC57/61970-552/ModelDescription/1#"
DM = ["http://iec.ch/TC57/61970-552/DifferenceModel/1#", "http://iec.ch/2002/schema/CIM_difference_model#"]
PREFIXES = {
    RDF: "rdf",
    "http://iec.ch/TC57/CIM100#": "cim",
    "http://iec.ch/TC57/CIM100-European#": "eu",
    "http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#": "gb",
}
UUID = re.compile(r"^_?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)


def prefixed(tag):
    namespace, local = tag[1:].split("}")
    return PREFIXES[namespace] + ":" + local


def mrid(reference):
    """The identifier in a reference, in lower case."""
    for start in ("urn:uuid:", "#"):
        if reference.lower().startswith(start):
            reference = reference[len(start):]
            break
    if reference.startswith("_"):
        reference = reference[1:]
    return reference.lower()


def resource(reference):
    """The kind and value of an rdf:resource."""
    namespace, hash_sign, local = reference.partition("#")
    if hash_sign and namespace + "#" in PREFIXES and not UUID.match(local):
        return "enumeration", PREFIXES[namespace + "#"] + ":" + local
    return "association", mrid(reference)


def statements(elements, states_class):
    """The statements of items, and the classes of the subjects that are written with rdf:ID."""
    found, whole = set(), {}
    for element in elements:
        identifier = element.get("{%s}ID" % RDF)
        subject = mrid(identifier if identifier is not None else element.get("{%s}about" % RDF))
        if identifier is not None:
            whole[subject] = prefixed(element.tag)
        type_name = prefixed(element.tag)
        if type_name != "rdf:Description" and (identifier is not None or states_class):
            found.add((subject, "rdf:type", "enumeration", type_name))
        for child in element:
            reference = child.get("{%s}resource" % RDF)
            kind, value = ("text", child.text or "") if reference is None else resource(reference)
            found.add((subject, prefixed(child.tag), kind, value))
            if identifier is not None and prefixed(child.tag) == "rdf:type" and whole[subject] == "rdf:Description":
                whole[subject] = value
    return found, whole


def section(text, name):
    """The items of a section of a difference model."""
    for model in ElementTree.fromstring(text):
        for part in model:
            if part.tag in ["{%s}%s" % (namespace, name) for namespace in DM]:
                return list(part)
    return []


def full(text):
    """The items of a full model."""
    return [element for element in ElementTree.fromstring(text) if element.tag != "{%s}FullModel" % MD]


def introduced(file, model, whole):
    """The subjects that a file introduces: by their class, in SC only if they are whole."""
    typed = {subject for subject, name, _, _ in model if name == "rdf:type"}
    return typed if file != "SC" else typed & set(whole)


def applied(case):
    base, whole, left, reverse, forward, added, after = {}, {}, {}, {}, {}, {}, {}
    for file in FILES:
        base[file], whole[file] = statements(full(case["base"][file]), True) if file in case["base"] else (set(), {})
        project = case["project"].get(file)
        reverse[file], deleted = statements(section(project, "reverseDifferences"), False) if project else (set(), {})
        forward[file], added[file] = (
            statements(section(project, "forwardDifferences"), True) if project else (set(), {})
        )
        without_class = {subject for subject, type_name in deleted.items() if type_name == "rdf:Description"}
        left[file] = {
            each for each in base[file] - reverse[file] if not (each[1] == "rdf:type" and each[0] in without_class)
        }
        after[file] = left[file] | forward[file]
    before = set().union(*(introduced(file, base[file], whole[file]) for file in FILES))
    there = set().union(*(introduced(file, left[file], whole[file]) for file in FILES))
    existing = set().union(*(introduced(file, after[file], {**whole[file], **added[file]}) for file in FILES))
    findings = set()
    for file in FILES:
        for subject, name, _, value in reverse[file] - base[file]:
            findings.add(("missing-statement", file, subject, name, value))
        for subject, type_name in added[file].items():
            if subject in there:
                findings.add(("added-twice", file, subject, "rdf:type", type_name))
        there = there | set(added[file])
        for subject, name, kind, value in after[file]:
            is_new = (subject, name, kind, value) in forward[file]
            if kind == "association" and value not in existing and (is_new or value in before):
                findings.add(("dangling-association", file, subject, name, value))
    return {
        "statements": sorted([file, *each] for file in FILES for each in after[file]),
        "findings": sorted(map(list, findings)),
    }


json.dump([applied(case) for case in json.load(sys.stdin)], sys.stdout)
