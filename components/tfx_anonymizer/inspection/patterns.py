"""What the name of a column, or the form of its values, gives away about its role.

Signs, not proof: a name may say nothing, or lie. What is found is proposed to a person, and nothing is done about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names are compared word by word: "zip_code", "zipCode" and "ZIP" hold the word "zip", and "gzip" does not.
_IDENTIFIER_WORDS = _words(
    "name firstname lastname surname forename fullname username login email mail phone telephone mobile fax address "
    "street ssn nino passport iban account licence license plate vin imei mac ip url cookie fingerprint uuid guid"
)
_ID_WORDS = _words("id identifier key number no nr code")
# What the people of a table are: an id of one of these tells whose row it is.
_PERSON_WORDS = _words(
    "person people user customer client patient member employee student subject donor driver entity respondent"
)
_KNOWN_WORDS = _words(
    "age birth birthday birthdate born dob sex gender zip zipcode postcode postal city town village county region "
    "state country nation nationality citizenship marital married relationship children household education degree "
    "school occupation job profession employer workclass income salary language height weight latitude longitude lat "
    "lon location pickup dropoff admission discharge"
)
# Special categories of personal data: Articles 9(1) and 10 of the General Data Protection Regulation.
_SPECIAL_WORDS = _words(
    "race ethnic ethnicity religion religious faith church politics political party union health disease diagnosis "
    "diagnoses illness ill symptom symptoms medication drug therapy treatment disability pregnancy pregnant hiv "
    "genetic genome biometric orientation sexuality criminal conviction offence offense crime arrest"
)
_FORMS = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "a web address": re.compile(r"https?://\S+"),
    "an IP address": re.compile(r"(?:\d{1,3}\.){3}\d{1,3}"),
    "a bank account number": re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"),
    "a telephone number": re.compile(r"(?:\+|00)\d[\d \-/()]{6,}"),
    "a social security number": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "a unique key": re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"),
}


def words(name: str) -> frozenset[str]:
    """Returns the words of a column's name, in small letters.

    Example:
        >>> sorted(words("homeZip_code2")), sorted(words("SSN"))
        (['code', 'home', 'zip'], ['ssn'])
    """
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return frozenset(re.findall(r"[a-z]+", parted.lower()))


def names_an_identifier(name: str) -> bool:
    """Whether a name says that the column points at a single person."""
    return bool(words(name) & _IDENTIFIER_WORDS)


def names_a_person_id(name: str) -> bool:
    """Whether a name says that the column tells whose row it is."""
    found = words(name)
    return bool(found & _PERSON_WORDS) and (bool(found & _ID_WORDS) or len(found) == 1)


def names_an_id(name: str) -> bool:
    """Whether a name says that the column numbers something."""
    return bool(words(name) & _ID_WORDS)


def names_what_others_know(name: str) -> bool:
    """Whether a name says something that neighbours, employers or registers know of a person."""
    return bool(words(name) & _KNOWN_WORDS)


def names_a_special_category(name: str) -> bool:
    """Whether a name says something of which the law forbids most uses."""
    return bool(words(name) & _SPECIAL_WORDS)


def form_of(values: Iterable[str], least: float = 0.5) -> str | None:
    """Returns what most of some texts look like, if it points at single people.

    Args:
        values: Texts.
        least: The share that must have the form.

    Example:
        >>> form_of(["ada@example.org", "alan@example.org", "unknown"]), form_of(["Ulm", "Bonn"])
        ('an e-mail address', None)
    """
    texts = list(values)
    for name, pattern in _FORMS.items():
        if texts and sum(bool(pattern.fullmatch(text.strip())) for text in texts) >= least * len(texts):
            return name
    return None
