"""How sure are we: covariances, intervals and tests of doctrines."""

from welfarist.inference.bootstrap import Bootstrap, bootstrap
from welfarist.inference.covariance import CovarianceName, covariance_of, face_of
from welfarist.inference.doctrine_tests import DoctrineTest, likelihood_ratio
from welfarist.inference.intervals import MethodName, interval
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.power_profile import Profile, profile_of

__all__ = [
    "Bootstrap",
    "bootstrap",
    "covariance_of",
    "CovarianceName",
    "DoctrineTest",
    "face_of",
    "interval",
    "Likelihood",
    "likelihood_ratio",
    "MethodName",
    "Profile",
    "profile_of",
]
