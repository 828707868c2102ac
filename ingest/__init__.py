"""A list of papers -> a new generation of the index; read `ingest.job` first."""

from ingest.job import SAMPLE, Report, ingest
from ingest.records import Skipped

__all__ = ["SAMPLE", "Report", "Skipped", "ingest"]
